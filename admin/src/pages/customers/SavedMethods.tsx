import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { dataOf, type ResponseOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useAct } from '../../ui/actions/useAct.ts';
import { Section, SmallTable } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { Day } from '../../ui/format.tsx';
import '../payments/texts.ts';

export type SavedMethod = ResponseOf<'/customers/{id}/saved-payment-methods'>['data'][number];

export function useSavedMethods(customerId: number) {
  const { api, company, can } = useShop();
  return useQuery({
    queryKey: [company.id, 'customers', customerId, 'saved-payment-methods'],
    enabled: can('customers:read'),
    queryFn: ({ signal }) =>
      dataOf(api.GET('/customers/{id}/saved-payment-methods', { params: { path: { id: customerId } }, signal })),
  });
}

/** The means of payment that the customer let payment services keep. */
export function SavedMethods({ id }: { id: number }) {
  const { can } = useShop();
  const { data } = useSavedMethods(id);
  if (data === undefined || data.length === 0) return null;
  return (
    <Section title={t('customer.saved_methods')} flush>
      <SmallTable
        caption={t('customer.saved_methods')}
        rows={data}
        keyOf={(one) => one.id}
        empty=""
        columns={[
          { title: t('nav.payment_methods'), cell: (one) => one.label },
          { title: t('customer.saved_methods.expires'), cell: (one) => <Day on={one.expires_on} /> },
          ...(can('customers:write')
            ? [
                {
                  title: t('field.actions'),
                  right: true as const,
                  cell: (one: SavedMethod) => <Remove customerId={id} method={one} />,
                },
              ]
            : []),
        ]}
      />
    </Section>
  );
}

function Remove({ customerId, method }: { customerId: number; method: SavedMethod }) {
  const { api } = useShop();
  const act = useAct();
  const remove = async (): Promise<void> => {
    const title = t('customer.saved_methods.remove.title', { name: method.label });
    const sure = await ask({
      title,
      text: t('customer.saved_methods.remove.text'),
      action: t('customer.saved_methods.remove'),
    });
    if (!sure) return;
    const params = { path: { id: customerId, method_id: method.id } };
    await act(
      () => dataOf(api.DELETE('/customers/{id}/saved-payment-methods/{method_id}', { params })),
      t('customer.saved_methods.removed'),
    );
  };
  return (
    <Button size="xs" variant="default" onClick={() => void remove()}>
      {t('customer.saved_methods.remove')}
    </Button>
  );
}
