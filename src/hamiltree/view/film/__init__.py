"""Films of runs as GIF or MP4 files, from the page or drawn by Matplotlib."""
