// nested.h: kernels that launch kernels (dynamic parallelism). Their device code must be linked; outside the workbook:
//
//     nvcc -I common -rdc=true file.cu -lcudadevrt
#pragma once

#if !defined(__CUDACC_RDC__)
#error "A kernel of this program launches kernels: compile it with nvcc -rdc=true and link it with -lcudadevrt."
#endif
