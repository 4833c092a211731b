"""What people read: one view of what is shown, and a renderer a format."""
