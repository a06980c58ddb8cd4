"""What judges are asked of finished sets, whatever recipe made them."""
