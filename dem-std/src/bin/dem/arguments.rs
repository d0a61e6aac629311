//! Reading the values of options.

use crate::failure::Failure;
use std::ffi::OsString;

fn text(option: &str, value: OsString) -> Result<String, Failure> {
    value.into_string().map_err(|v| Failure::usage(format!("{option}: {v:?} is not text")))
}

/// A whole number.
pub fn whole<T: std::str::FromStr>(option: &str, value: OsString) -> Result<T, Failure> {
    let value = text(option, value)?;
    value.parse().map_err(|_| Failure::usage(format!("{option}: `{value}` is not a whole number in range")))
}

/// Finite numbers separated by commas, as many as one of `counts`.
pub fn numbers(option: &str, value: OsString, counts: &[usize], form: &str) -> Result<Vec<f64>, Failure> {
    let value = text(option, value)?;
    let parse = |word: &str| word.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    let numbers: Option<Vec<f64>> = value.split(',').map(parse).collect();
    numbers.filter(|n| counts.contains(&n.len())).ok_or_else(|| {
        Failure::usage(format!("{option}: `{value}` is not of the form {form} (finite numbers, commas, no spaces)"))
    })
}

/// One finite number.
pub fn number(option: &str, value: OsString) -> Result<f64, Failure> {
    let value = text(option, value)?;
    let number = value.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    number.ok_or_else(|| Failure::usage(format!("{option}: `{value}` is not a finite number")))
}

/// Exactly `N` numbers.
pub fn vector<const N: usize>(option: &str, value: OsString, form: &str) -> Result<[f64; N], Failure> {
    let numbers = numbers(option, value, &[N], form)?;
    Ok(std::array::from_fn(|k| numbers.get(k).copied().unwrap_or(0.0)))
}

/// The nearest of these names, if it is close enough to be a typing error: it differs in at most a third of the letters, and in at most three.
pub fn near<'n>(given: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let far = given.chars().count().div_ceil(3).min(3);
    let near = names.map(|name| (strsim::damerau_levenshtein(name, given), name)).min()?;
    (near.0 <= far).then_some(near.1)
}
