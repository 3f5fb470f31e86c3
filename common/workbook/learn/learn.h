// The commands that teach, without their names in argv. Each returns the exit status.
#pragma once

int command_explain(int argc, char **argv);
int command_hunt(int argc, char **argv);
int command_predict(int argc, char **argv);
int command_project(int argc, char **argv);
int command_drill(int argc, char **argv);
int command_exam(int argc, char **argv);
