import { Button, Modal, Progress } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { ok, type ResponseOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../actions/useWrite.ts';
import { useFormat } from '../format.tsx';
import { textOf } from '../messages.tsx';
import css from './ListPage.module.css';

const POLL_MS = 700;

export type BulkAction = ResponseOf<'/bulk-actions/{id}'>;

interface BulkDialogProps {
  title: string;
  text: string;
  start(): Promise<BulkAction>;
  onStarted(): void;
  onClose(): void;
  /** Further inputs that it needs. */
  children?: ReactNode;
  /** Whether it may start. */
  ready?: boolean;
}

/** Asks before everything that matches is changed, then shows the progress; closing does not stop it. */
export function BulkDialog({ title, text, start, onStarted, onClose, children, ready = true }: BulkDialogProps) {
  const { api, company, can } = useShop();
  const client = useQueryClient();
  const format = useFormat();
  const begin = useWrite({ mutationFn: start });
  const undo = useWrite({
    mutationFn: () => ok(api.POST('/bulk-actions/{id}/undo', { params: { path: { id: begin.data?.id ?? 0 } } })),
  });
  const latest = undo.data ?? begin.data;
  const id = latest?.id ?? 0;
  const params = { path: { id } };
  const { data = latest } = useQuery<BulkAction>({
    queryKey: [company.id, 'bulk-actions', id],
    enabled: id > 0,
    refetchInterval: ({ state }) => (state.data === undefined || state.data.status === 'running' ? POLL_MS : false),
    queryFn: ({ signal }) => ok(api.GET('/bulk-actions/{id}', { params, signal })),
  });
  const ofContacts = data?.action.endsWith('tag_contacts') || data?.action === 'undo_tagging';
  const may = can(ofContacts ? 'marketing:write' : 'orders:write');
  const stop = useWrite({
    mutationFn: () =>
      ok(api.POST(ofContacts ? '/bulk-actions/{id}/cancel-tagging' : '/bulk-actions/{id}/cancel', { params })),
  });
  const ended = data !== undefined && data.status !== 'running';
  useEffect(() => {
    if (ended) void client.invalidateQueries({ queryKey: [company.id] });
  }, [ended, client, company.id]);
  const done = data === undefined ? 0 : data.changed + data.refused;
  const error = begin.error ?? stop.error ?? undo.error;
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <div className="stack">
        {data === undefined ? (
          <>
            <p className="break">{text}</p>
            {children}
          </>
        ) : (
          <>
            <Progress
              value={ended ? 100 : data.total === 0 ? 0 : (done / data.total) * 100}
              aria-label={t('bulk.progress')}
            />
            <p role="status">
              {t('bulk.counts', { done: format.number(data.changed), total: format.number(data.total) })}
              {data.status === 'cancelled' ? ` ${t('bulk.cancelled')}` : ended ? '' : ` ${t('bulk.background')}`}
            </p>
            {data.refused === 0 ? null : (
              <div>
                <p>{t('bulk.refused', { n: data.refused })}</p>
                <ul className={css.refusals}>
                  {data.refusals.map((one) => (
                    <li key={one.id} className="break">
                      #{one.id}: {one.message}
                    </li>
                  ))}
                </ul>
              </div>
            )}
          </>
        )}
        {error === null ? null : (
          <p role="alert" className={css.problem}>
            {textOf(error)}
          </p>
        )}
        <div className="row">
          <span className="grow" />
          {data?.status === 'running' && may ? (
            <Button variant="default" loading={stop.isPending} onClick={() => stop.mutate()}>
              {t('bulk.stop')}
            </Button>
          ) : null}
          {ended && may && data.changed > 0 && data.action.endsWith('tag_contacts') ? (
            <Button variant="default" loading={undo.isPending} onClick={() => undo.mutate()}>
              {t('imports.undo')}
            </Button>
          ) : null}
          <Button variant={data === undefined ? 'default' : 'filled'} onClick={onClose}>
            {data === undefined ? t('action.cancel') : t('action.close')}
          </Button>
          {data === undefined ? (
            <Button
              loading={begin.isPending}
              disabled={!ready}
              onClick={() => begin.mutate(undefined, { onSuccess: onStarted })}
            >
              {t('bulk.start')}
            </Button>
          ) : null}
        </div>
      </div>
    </Modal>
  );
}
