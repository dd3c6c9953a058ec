"""What Triton finds by its entry points (group triton.backends) in every process that imports it: no back end of its
own, but the place where TRITCC=1 takes effect."""
