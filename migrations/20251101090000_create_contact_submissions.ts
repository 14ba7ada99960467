/**
 * The checks repeat the form's limits. A test compares them, so a changed limit needs a migration.
 * `held_mail_id` has no foreign key, since deleting an old mail would read all requests.
 * The partial indexes have the conditions of the queries. `contact_submissions_senders` contains reversed addresses, so
 * that it finds an address, or a domain by its reversed name.
 */
export const sql = `
  create table contact_submissions (
    id uuid primary key,
    name text not null,
    email text not null,
    company text not null,
    phone text,
    industry text,
    message text,
    submitted_at timestamptz not null,
    received_at timestamptz not null default current_timestamp,
    body_hash text,
    source jsonb,
    visited_paths jsonb,
    quarantined_at timestamptz,
    quarantine_reason text,
    held_mail_id uuid,
    released_at timestamptz,
    spam_at timestamptz,
    assigned_to text,
    snoozed_until timestamptz,
    contacted_at timestamptz,
    unfit_at timestamptz,
    unfit_reason text,
    email_refused_at timestamptz,
    anonymised_at timestamptz,
    constraint contact_submissions_lengths check (
      char_length(name) between 1 and 200
      and char_length(email) between 3 and 254
      and char_length(company) between 1 and 200
      and char_length(phone) <= 40
      and char_length(message) <= 5000
    ),
    constraint contact_submissions_industry check (
      industry in (
        'healthcare', 'manufacturing', 'financial-services', 'professional-services', 'education',
        'retail-ecommerce', 'transportation-logistics', 'real-estate', 'private-equity', 'other'
      )
    )
  );
  create index contact_submissions_received_at on contact_submissions (received_at);
  create index contact_submissions_body_hash on contact_submissions (body_hash, received_at);
  create index contact_submissions_open
    on contact_submissions ((coalesce(released_at, received_at)), id)
    where contacted_at is null and quarantined_at is null and anonymised_at is null;
  create index contact_submissions_held on contact_submissions (received_at)
    where quarantined_at is not null and anonymised_at is null;
  create index contact_submissions_released on contact_submissions (released_at)
    where released_at is not null;
  create index contact_submissions_unreported on contact_submissions (quarantined_at)
    where quarantined_at is not null and anonymised_at is null
      and spam_at is null and held_mail_id is null;
  create index contact_submissions_senders
    on contact_submissions (reverse(lower(email)) text_pattern_ops) where anonymised_at is null
`;
