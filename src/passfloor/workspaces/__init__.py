"""Where an attempt happens: its folder, its processes, and what is kept of what they leave."""
