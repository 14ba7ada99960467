/** One row per address. Limits count all addresses of a mailbox (`getMailboxKey`). */
export const sql = `
  create table newsletter_subscriptions (
    id uuid primary key default gen_random_uuid(),
    email text not null,
    mailbox text,
    created_at timestamptz not null default current_timestamp,
    confirmed_at timestamptz,
    unsubscribed_at timestamptz,
    constraint newsletter_subscriptions_email_unique unique (email),
    constraint newsletter_subscriptions_lengths check (char_length(email) between 3 and 254)
  );
  create index newsletter_subscriptions_mailbox on newsletter_subscriptions (mailbox)
`;
