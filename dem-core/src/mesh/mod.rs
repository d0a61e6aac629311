//! Triangle soups, inspection, mass properties.
