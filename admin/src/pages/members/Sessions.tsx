import { Button, Modal } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { Loaded, SmallTable } from '../../ui/DetailPage.tsx';
import { Moment } from '../../ui/format.tsx';
import { say, sayError } from '../../ui/messages.tsx';
import { deviceOf } from '../../ui/words/device.ts';

/** A member's sessions, which can be ended at once. */
export function Sessions({ member, onClose }: { member: Model<'Member'>; onClose: () => void }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const params = { path: { id: member.id } };
  const queryKey = [company.id, 'members', member.id, 'sessions'];
  const sessions = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await ok(api.GET('/members/{id}/sessions', { params, signal }))).sessions,
  });
  const end = useWrite({
    mutationFn: () => ok(api.DELETE('/members/{id}/sessions', { params })),
    onSuccess: ({ ended }) => {
      say(t('members.sessions.ended', { n: ended }));
      return client.invalidateQueries({ queryKey });
    },
    onError: sayError,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('members.sessions.of', { name: member.name })}
      size="lg"
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <Loaded query={sessions}>
        {(rows) => (
          <>
            <SmallTable
              caption={t('members.sessions')}
              rows={rows}
              keyOf={(one) => one.id}
              empty={t('members.sessions.none')}
              columns={[
                { title: t('account.device'), cell: (one) => deviceOf(one.user_agent) },
                { title: t('account.address'), wide: true, cell: (one) => one.address },
                { title: t('members.last_seen'), cell: (one) => <Moment at={one.last_seen_at} /> },
                {
                  title: t('members.session'),
                  cell: (one) => (one.current ? <span className="dim">{t('account.session.current')}</span> : null),
                },
              ]}
            />
            <p className="dim">{t('members.sessions.text')}</p>
            <Button
              variant="default"
              loading={end.isPending}
              disabled={rows.every(({ current }) => current)}
              onClick={() => end.mutate()}
            >
              {t('members.sessions.end')}
            </Button>
          </>
        )}
      </Loaded>
    </Modal>
  );
}
