"""The steps of MSR 2.2 and 2.3, a file each: plain values in, plain values out."""
