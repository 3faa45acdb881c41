/* A library that is none of OpenCL. */
extern int lacking;
int lacking = 1;
