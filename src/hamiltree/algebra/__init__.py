"""Numbers and small values of mechanics for kernels, generic over one float or four SIMD lanes."""
