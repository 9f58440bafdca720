import { Navigate, useLocation, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Failure, NotFound, Waiting } from '../ui/states.tsx';
import { LAST_COMPANY } from './Entrance.tsx';
import { Frame } from './Frame.tsx';
import { ShopProvider, useSession } from './session.tsx';

/** Everything below a company's address: who is not signed in signs in first and comes back. */
export function Shop() {
  const { company: asked } = useParams({ strict: false });
  const { data: session, error, refetch } = useSession();
  const { href } = useLocation();
  const company = session?.companies.find(({ id }) => String(id) === asked);
  const id = company?.id;
  useEffect(() => {
    if (id !== undefined) localStorage.setItem(LAST_COMPANY, String(id));
  }, [id]);
  if (session === undefined) return error ? <Failure error={error} reset={refetch} /> : <Waiting />;
  if (session === null) return <Navigate to="/sign-in" search={{ next: href }} replace />;
  if (company === undefined) return <NotFound />;
  return (
    <ShopProvider key={company.id} company={company} session={session}>
      <Frame />
    </ShopProvider>
  );
}
