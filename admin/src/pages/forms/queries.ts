import { useQuery } from '@tanstack/react-query';
import { type Model, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';

export type SignupForm = Model<'Form'>;
export type Question = SignupForm['fields'][number];

export function useForm(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'forms', id],
    queryFn: ({ signal }) => ok(api.GET('/forms/{id}', { params: { path: { id } }, signal })),
  });
}

/** A form's results on each of the last days. */
export function useDays(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'forms', id, 'days'],
    queryFn: ({ signal }) => ok(api.GET('/forms/{id}/days', { params: { path: { id }, query: { days: 30 } }, signal })),
  });
}

/** The hosted page as visitors see it, loaded through this page's own origin. */
export function useHostedPage(form: SignupForm) {
  const { company } = useShop();
  return useQuery({
    queryKey: [company.id, 'forms', form.form_id, 'page', form.updated_at],
    queryFn: async ({ signal }) => {
      const response = await fetch(`/f/${form.public_id}`, { signal, credentials: 'omit' });
      if (!response.ok) throw new Error(`The page of the form responded with ${response.status}`);
      return response.text();
    },
  });
}
