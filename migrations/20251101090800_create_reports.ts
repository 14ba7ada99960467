export const sql = `
  create table reports (
    day date primary key,
    attempts integer not null default 0,
    lease_until timestamptz not null,
    sent_at timestamptz,
    recipients text[]
  )
`;
