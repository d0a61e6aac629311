//! A JSON value and its text form; the program reads no JSON.

use std::fmt;

pub enum Json {
    Whole(u64),
    Flag(bool),
    /// The shortest form that reads back to the same bits; null for numbers that are not finite, which JSON cannot express.
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    pub fn numbers(numbers: impl IntoIterator<Item = f64>) -> Json {
        Json::List(numbers.into_iter().map(Json::Number).collect())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Whole(n) => write!(f, "{n}"),
            Json::Flag(b) => write!(f, "{b}"),
            Json::Number(x) if x.is_finite() => write!(f, "{x:?}"),
            Json::Number(_) => f.write_str("null"),
            Json::Text(text) => quoted(f, text),
            Json::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    write!(f, "{comma}{item}")?;
                }
                f.write_str("]")
            }
            Json::Object(fields) => {
                f.write_str("{")?;
                for (i, (name, value)) in fields.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    write!(f, "{comma}\"{name}\": {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            c if (c as u32) < 0x20 => write!(f, "\\u{:04x}", c as u32)?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_as_json_wants_it() {
        let value = Json::Object(vec![
            ("n", Json::Whole(3)),
            ("x", Json::numbers([0.1, 1e300, -0.0, f64::NAN])),
            ("t", Json::Text("a\"b\\c\n".into())),
            ("b", Json::Flag(true)),
            ("o", Json::Object(vec![])),
        ]);
        let expected = r#"{"n": 3, "x": [0.1, 1e300, -0.0, null], "t": "a\"b\\c\u000a", "b": true, "o": {}}"#;
        assert_eq!(value.to_string(), expected);
    }
}
