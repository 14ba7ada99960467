/** The only row is the last trial request: the number of consecutive `failures`, and what it found (`detail`). */
export const sql = `
  create table form_trial (
    only_row boolean primary key default true check (only_row),
    tried_at timestamptz not null,
    failures integer not null default 0,
    detail text not null default ''
  )
`;
