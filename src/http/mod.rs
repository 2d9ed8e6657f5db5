//! HTTP/1 as bytes.
