/** A pause holds back a whole kind: its other side asks for time, or refuses the credentials until a worker starts. */
export const sql = `
  create table delivery_pauses (
    kind text not null,
    until timestamptz not null,
    reason text not null,
    ends_with_restart boolean not null,
    primary key (kind, ends_with_restart)
  )
`;
