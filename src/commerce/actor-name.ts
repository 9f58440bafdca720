import { rawSql } from '../db/sql.ts';

/** The column `actor_name` beside `actor`: the name of the person, also of one who has left; null for keys and the program. */
export const ACTOR_NAME = rawSql(
  "(select p.name from persons p where p.id = substring(actor from '^admin:([0-9]{1,18})$')::bigint) as actor_name",
);
