-- Requests without a valid credential, by the network that they came from, in windows of a minute. Unlogged: a crash of the
-- database forgets a minute's count, and writing it costs no WAL.
create unlogged table failed_attempts (
  door text not null,
  network text not null,
  window_start timestamptz not null,
  -- Of the window's limit, handed out to all processes, and in the last lease.
  taken smallint not null,
  granted smallint not null,
  primary key (door, network)
);
create index failed_attempts_window_start on failed_attempts (window_start);
