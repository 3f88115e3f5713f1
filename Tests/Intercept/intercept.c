#include "intercept.h"
