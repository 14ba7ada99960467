export const sql = `
  create table held_mails (
    id uuid primary key default gen_random_uuid(),
    attempts integer not null default 0,
    unanswered integer not null default 0,
    lease_until timestamptz not null,
    sent_at timestamptz,
    refused_at timestamptz,
    recipients text[]
  )
`;
