/* warehouse.h -- the interface of the example, where its implementation looks for it. */
#include "../../examples/warehouse/warehouse.h"
