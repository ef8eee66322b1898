/* older.h - homes as older versions left them */
#ifndef SUPPORT_OLDER_H
#define SUPPORT_OLDER_H

/* Take back the steps of the schema above `step`, with their tables. */
void test_undo_steps(int step);

#endif
