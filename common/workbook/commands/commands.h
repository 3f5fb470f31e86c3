// The commands; argv excludes the command's name. Each returns the exit status.
#pragma once

int command_status(int argc, char **argv);
int command_list(int argc, char **argv);
int command_next(int argc, char **argv);
int command_run(int argc, char **argv);
int command_xray(int argc, char **argv);
int command_watch(int argc, char **argv);
int command_hint(int argc, char **argv);
int command_solution(int argc, char **argv);
int command_reset(int argc, char **argv);
int command_profile(int argc, char **argv);
int command_ladder(int argc, char **argv);
int command_report(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_starter(int argc, char **argv);
int command_part(int argc, char **argv);
int command_judge(int argc, char **argv);
int command_exec(int argc, char **argv);
int command_manifest(int argc, char **argv);
int command_handout(int argc, char **argv);
int command_class(int argc, char **argv);
int command_grade(int argc, char **argv);
int command_export(int argc, char **argv);
