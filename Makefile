# What cargo does not do by itself. `make -C examples-c run` builds and runs the C programs.

CARGO ?= cargo

.PHONY: header core install install-program uninstall examples costs clean

# include/*.h, from the sources of dem-capi. A test fails while one is old.
header:
	DEM_HEADER=write $(CARGO) test --quiet -p dem-tests --test c_header the_headers_are_what_the_sources_say

# target/core/libdem_core.a: the library for hosts without an operating system. For another machine:
#   make core TARGET=thumbv7em-none-eabihf CROSS=arm-none-eabi-
core:
	./dem-capi/core.sh "$(TARGET)" "$(CROSS)"

# Header, libraries, and what pkg-config and CMake ask, under a folder; with DESTDIR before it for packages.
PREFIX ?= /usr/local
install:
	./dem-capi/install.sh "$(PREFIX)"

# The program dem, as PREFIX/bin/dem.
install-program:
	./dem-capi/install.sh "$(PREFIX)" --program

uninstall:
	./dem-capi/install.sh "$(PREFIX)" --remove

examples:
	$(MAKE) -C examples-c run

# What calls of the C interface cost on this machine, beside what the headers say.
costs:
	$(CARGO) build --release -p dem-capi
	$(CC) -std=c11 -O2 -Iinclude tests/c/costs.c target/release/libdem.a -lm -lpthread -ldl -o target/release/costs
	target/release/costs

clean:
	$(CARGO) clean
	$(MAKE) -C examples-c clean
