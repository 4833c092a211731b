"""The local identity on disk: where keys live, how they are written, and which one signs."""
