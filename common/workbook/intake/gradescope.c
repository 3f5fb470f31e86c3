// Gradescope's list of submissions: a YAML file of fixed shape, one key per line.
#include "intake/gradescope.h"
#include "intake/times.h"
#include "base/files.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct submission {
    char *folder, *name, *sid, *email, *created;
};

struct gradescope {
    struct submission *at;
    int count;
};

// The value after key on a line such as " - :name: Ada Lovelace", without its quotation marks; the caller frees it,
// or it is NULL.
static char *value_of(const char *line, const char *key)
{
    size_t length;
    char *value;

    line += strspn(line, " -");
    if (strncmp(line, key, strlen(key)) != 0)
        return NULL;
    line += strlen(key);
    line += strspn(line, " ");
    length = strcspn(line, "\r\n");
    if (length >= 2 && (*line == '\'' || *line == '"') && line[length - 1] == *line) {
        line++;
        length -= 2;
    }
    value = text_format("%.*s", (int)length, line);
    if (length == 0) {
        free(value);
        value = NULL;
    }
    return value;
}

// The first submitter counts; the list does not tell the others of a group apart.
static void take(char **field, const char *line, const char *key)
{
    char *value = value_of(line, key);

    if (value && !*field)
        *field = value;
    else
        free(value);
}

static struct submission *add_submission(struct gradescope *list, const char *line)
{
    list->at = checked(realloc(list->at, (size_t)(list->count + 1) * sizeof *list->at));
    list->at[list->count] = (struct submission){.folder = text_format("%.*s", (int)strcspn(line, ":\r\n"), line)};
    return &list->at[list->count++];
}

struct gradescope *gradescope_read(const char *folder)
{
    char *path = text_format("%s/%s", folder, GRADESCOPE_FILE), *text = file_read(path);
    struct gradescope *list = text ? checked(calloc(1, sizeof *list)) : NULL;
    struct submission *now = NULL;

    for (const char *line = text; list && *line; line = line_end(line)) {
        if (strncmp(line, "submission_", 11) == 0)
            now = add_submission(list, line);
        if (!now)
            continue;
        take(&now->name, line, ":name:");
        take(&now->sid, line, ":sid:");
        take(&now->email, line, ":email:");
        take(&now->created, line, ":created_at:");
    }
    free(text);
    free(path);
    return list;
}

void gradescope_free(struct gradescope *list)
{
    for (int i = 0; list && i < list->count; i++) {
        free(list->at[i].folder);
        free(list->at[i].name);
        free(list->at[i].sid);
        free(list->at[i].email);
        free(list->at[i].created);
    }
    if (list)
        free(list->at);
    free(list);
}

static const struct submission *find(const struct gradescope *list, const char *folder)
{
    for (int i = 0; list && i < list->count; i++)
        if (strcmp(list->at[i].folder, folder) == 0)
            return &list->at[i];
    return NULL;
}

bool gradescope_who(const struct gradescope *list, const char *submission, struct who *who)
{
    const struct submission *s = find(list, submission);
    const char *id = !s ? NULL : s->sid ? s->sid : s->email;

    *who =
        (struct who){.id = id ? text_format("%s", id) : NULL, .name = s && s->name ? text_format("%s", s->name) : NULL};
    if (id)
        return true;
    who_free(who);
    return false;
}

char *gradescope_email(const struct gradescope *list, const char *submission)
{
    const struct submission *s = find(list, submission);

    return s && s->email ? text_format("%s", s->email) : NULL;
}

double gradescope_time(const struct gradescope *list, const char *submission)
{
    const struct submission *s = find(list, submission);
    double seconds = 0;

    return s && s->created && time_read(s->created, &seconds) ? seconds : 0;
}
