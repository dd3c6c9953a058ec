# What only the driver knows: its version, and where configure was told to look for CUDA.
obj/driver/%.o obj/run/%.o: private DEFINES += -DTRI_VERSION='"$(VERSION)"' -DTRI_CUDA_PREFIX='"$(CUDA_PREFIX)"'
