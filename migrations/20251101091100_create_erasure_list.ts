/** Has one row once the erasure log in `ERASURES_DIR` exists, to distinguish a missing log from an empty or foreign one. */
export const sql = `
  create table erasure_list (
    only_row boolean primary key default true check (only_row),
    id uuid not null,
    begun_at timestamptz not null default now()
  )
`;
