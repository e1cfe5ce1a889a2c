//! Texts of links and the command line: help on keys, values allowed, what is wrong with a value.

use super::texts;

texts! { "links":
    integer(low, high);
    fraction(low, high);
    /// One or more words.
    list(words);
    models(count);
    /// What `heads` has to be.
    divisor(width);
    unknown(key);
    left_out(key, given, allowed);
    replaced(key, given, allowed, used);
}
