import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { dataOf } from '../../api/client.ts';
import { useGo } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Failure, Waiting } from '../../ui/states.tsx';

/** Creates the cart of an order that staff take, and opens it. */
export function NewPage() {
  const { api } = useShop();
  const go = useGo();
  const create = useMutation({
    mutationFn: () => dataOf(api.POST('/carts')),
    onSuccess: ({ id }) => go(`carts/${id}`, { replace: true }),
  });
  const { mutate } = create;
  useEffect(() => mutate(), [mutate]);
  return (
    <>
      <PageHeader title={t('order.new')} back={{ path: 'orders', text: t('nav.orders') }} />
      {create.isError ? <Failure error={create.error} reset={() => mutate()} /> : <Waiting />}
    </>
  );
}
