/** A pause delays a whole kind. The service asked to wait, or refused the credentials (until a worker restarts). */
export const sql = `
  create table delivery_pauses (
    kind text not null,
    until timestamptz not null,
    reason text not null,
    ends_with_restart boolean not null,
    primary key (kind, ends_with_restart)
  )
`;
