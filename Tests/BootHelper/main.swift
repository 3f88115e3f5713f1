import Uplift

print("boot")
