/** Nothing is sent while this table has its row. A restore creates it before there is a schema. */
export const sql = `
  create table if not exists delivery_hold (
    only_row boolean primary key default true check (only_row),
    held_at timestamptz not null default now(),
    backup_at timestamptz
  )
`;
