import { Button } from '@mantine/core';
import { Navigate } from '@tanstack/react-router';
import { t } from '../i18n/i18n.ts';
import { Icon } from '../ui/Icon.tsx';
import { Messages, sayError } from '../ui/messages.tsx';
import { Empty, Failure, Waiting } from '../ui/states.tsx';
import { useSession, useSignOut } from './session.tsx';

export const LAST_COMPANY = 'tradeloom-company';

/** The owner of the installation creates the first company on the server; others are invited to one. */
function NoCompany({ owner, again }: { owner: boolean; again: () => void }) {
  const signOut = useSignOut();
  const title = t(owner ? 'companies.first' : 'companies.none');
  return (
    <main>
      <h1 className="visually-hidden">{title}</h1>
      <Empty icon="building-store" title={title} text={t(owner ? 'companies.first.text' : 'companies.none.text')}>
        {owner ? <code>tradeloom companies create --name &quot;{t('companies.first.name')}&quot;</code> : null}
        <div className="row">
          <Button variant="default" onClick={again} leftSection={<Icon name="refresh" size={16} />}>
            {t('action.retry')}
          </Button>
          <Button variant="default" onClick={() => void signOut().catch(sayError)}>
            {t('action.sign_out')}
          </Button>
        </div>
      </Empty>
      <Messages />
    </main>
  );
}

/** /admin/: redirects to the company shown last, or to the sign-in page. */
export function Entrance() {
  const { data: session, error, refetch } = useSession();
  if (error) return <Failure error={error} reset={refetch} />;
  if (session === undefined) return <Waiting />;
  if (session === null) return <Navigate to="/sign-in" replace />;
  const last = Number(localStorage.getItem(LAST_COMPANY));
  const company = session.companies.find(({ id }) => id === last) ?? session.companies[0];
  if (company === undefined) return <NoCompany owner={session.owns_installation} again={() => void refetch()} />;
  return <Navigate to="/$company" params={{ company: String(company.id) }} replace />;
}
