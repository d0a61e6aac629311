//! Tests of array views in every memory order.

use super::*;
use zerocopy::IntoBytes;

#[test]
fn arrays_of_structs_structures_of_arrays_and_fortran_orders_read_the_same() {
    let items = [[1.0f64, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let structs = [[9.0f64, 1.0, 2.0, 3.0], [9.0, 4.0, 5.0, 6.0]];
    let rows = [1.0f64, 4.0, 2.0, 5.0, 3.0, 6.0];
    let aos = Strides { count: 2, stride: 32, component_stride: 8, scalar: Scalar::F64 };
    let soa = Strides { count: 2, stride: 8, component_stride: 16, scalar: Scalar::F64 };
    let aos = Array::new(&structs.as_bytes()[8..], aos, What::Vertices).unwrap();
    let soa = Array::new(rows.as_bytes(), soa, What::Vertices).unwrap();
    for (i, item) in items.into_iter().enumerate() {
        assert_eq!((aos.get(i), soa.get(i)), (item, item));
    }
    assert_eq!(soa.get(2), [0.0; 3]);
}

#[test]
fn the_last_item_must_fit_to_the_byte() {
    let bytes = [0u8; 56];
    let layout = Strides { count: 2, stride: 32, component_stride: 8, scalar: Scalar::F64 };
    assert!(Array::new(&bytes, layout, What::Points).is_ok());
    let short = Array::new(&bytes[..55], layout, What::Points).unwrap_err();
    assert_eq!(short, Error::capacity(What::Points, 56, 55));
    assert!(Array::numbers(&bytes[..40], layout, What::Halos).is_ok());
    assert!(Indices::new(&bytes[..23], 2, 12, 4, 0).is_err());
    assert!(Indices::new(&bytes[..24], 2, 12, 4, 0).is_ok());
    assert_eq!(Indices::new(&bytes, usize::MAX, 12, 4, 0).unwrap_err().kind, Kind::TooLarge);
}

#[test]
fn single_numbers_do_not_look_at_what_lies_beside_them() {
    let structs = [[0.5f64, f64::NAN], [0.25, f64::NAN]];
    let layout = Strides { count: 2, stride: 16, component_stride: 8, scalar: Scalar::F64 };
    let halos = Array::numbers(structs.as_bytes(), layout, What::Halos).unwrap();
    assert_eq!((halos.number(0), halos.number(1), halos.number(2)), (0.5, 0.25, 0.0));
    assert_eq!(halos.check_finite(What::Halos), Ok(()));
}

#[test]
fn points_of_a_plane_and_words_have_zeros_for_what_is_not_there() {
    let plane = [[1.0f64, 2.0], [3.0, 4.0]];
    let layout = Strides { count: 2, stride: 16, component_stride: 8, scalar: Scalar::F64 };
    let strided = Array::planar(plane.as_bytes(), layout, What::Points).unwrap();
    for points in [Array::from_planar(&plane), strided] {
        assert_eq!((points.get(1), points.get(2)), ([3.0, 4.0, 0.0], [0.0; 3]));
    }
    let words = [7u32, 9, 8, 9];
    let every_other = Words::<u32>::new(&words.as_bytes()[..12], 2, 8, What::Points).unwrap();
    assert_eq!([0, 1, 2].map(|i| every_other.get(i)), [7, 8, 0]);
    let long = Words::<u64>::new(words.as_bytes(), 2, 8, What::Points).unwrap();
    let two = [[7u32, 9], [8, 9]].map(|pair| u64::from_ne_bytes(pair.as_bytes().try_into().unwrap()));
    assert_eq!([0, 1, 2].map(|i| long.get(i)), [two[0], two[1], 0]);
    let short = Words::<u32>::new(&words.as_bytes()[..11], 2, 8, What::Points).unwrap_err();
    assert_eq!(short, Error::capacity(What::Points, 12, 11));
    assert_eq!((Words::from_slice(&words).get(3), Words::from_slice(&words).len()), (9, 4));
}

#[test]
fn indices_that_count_from_one_come_out_from_zero_and_errors_name_the_number_given() {
    let fortran = [1u32, 2, 3, 3, 2, 0];
    let indices = Indices::new(fortran.as_bytes(), 2, 12, 4, 1).unwrap();
    assert_eq!(indices.get(0), [0, 1, 2]);
    let error = indices.check(3).unwrap_err();
    assert_eq!((error.kind, error.index, error.component), (Kind::BadIndex, 1, 2));
    assert_eq!((error.needed, error.given), (3, 0));
    let four = Indices::from_slice(&[[0, 1, 4]]).check(4).unwrap_err();
    assert_eq!((four.index, four.component, four.given), (0, 2, 4));
}
