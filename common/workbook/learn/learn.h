// The commands that teach; argv excludes the command's name. Each returns the exit status.
#pragma once

int command_explain(int argc, char **argv);
int command_hunt(int argc, char **argv);
int command_predict(int argc, char **argv);
int command_project(int argc, char **argv);
int command_drill(int argc, char **argv);
int command_exam(int argc, char **argv);
