"""What drives an agent through one attempt: one module an adapter, all behind one interface."""
