import Perennial

print("A family and its movies.")
