"""Problems that are no model: a typed-in H(q, p); and events, zero crossings of an expression."""
