/**
 * The outbox. `due_at` is the promised time, `retry_at` the next attempt, and `lease_expiries` counts attempts without a
 * result.
 * - `remote_steps`: the external service's id of each completed step, so that a retry continues there.
 * - `handed_over_at`: written before a mail's last bytes. `lost_answers` counts hand-overs with an unknown outcome.
 * - `recipient`: set on a retry for one address of sales that refused the mail temporarily.
 * - `event_id` has no foreign key, because an erased request's events are deleted, but its deliveries stay.
 * `deliveries_once` is an index, because a constraint can't have a condition. The condition allows a subscription several
 * mails.
 */
export const sql = `
  create table deliveries (
    id uuid primary key default gen_random_uuid(),
    submission_id uuid,
    subscription_id uuid,
    kind text not null,
    stage text,
    recipient text,
    event_id uuid,
    due_at timestamptz not null,
    state text not null default 'pending',
    attempts integer not null default 0,
    retry_at timestamptz,
    lease_until timestamptz,
    lease_token uuid,
    lease_expiries integer not null default 0,
    handed_over_at timestamptz,
    lost_answers integer not null default 0,
    maybe_duplicate boolean not null default false,
    remote_ref text,
    remote_steps jsonb not null default '{}',
    last_error text,
    sent_at timestamptz,
    constraint deliveries_submission_id_foreign
      foreign key (submission_id) references contact_submissions (id) on delete cascade,
    constraint deliveries_subscription_id_foreign
      foreign key (subscription_id) references newsletter_subscriptions (id) on delete cascade,
    constraint deliveries_kind
      check (kind in ('follow-up', 'crm-export', 'newsletter', 'acknowledgment', 'chat', 'outcome')),
    constraint deliveries_stage check (stage in ('new', 'reminder', 'due')),
    constraint deliveries_state
      check (state in ('pending', 'leased', 'sent', 'cancelled', 'dead')),
    constraint deliveries_lease
      check ((state = 'leased') = (lease_token is not null and lease_until is not null)),
    constraint deliveries_subject check (
      num_nonnulls(submission_id, subscription_id) = 1
      and (kind = 'newsletter') = (subscription_id is not null)
    )
  );
  create unique index deliveries_once
    on deliveries (submission_id, kind, stage, recipient, event_id)
    nulls not distinct where submission_id is not null;
  create index deliveries_subscription on deliveries (subscription_id);
  create index deliveries_open_of_kind on deliveries (kind, due_at, id)
    where state in ('pending', 'leased');
  create index deliveries_dead on deliveries (due_at, id) where state = 'dead';
  create index deliveries_acknowledged on deliveries (handed_over_at) where kind = 'acknowledgment'
`;
