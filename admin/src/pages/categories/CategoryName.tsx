import { Anchor } from '../../ui/Anchor.tsx';
import { useCategory } from './queries.ts';

/** The name of a category; its slug while that is loading, or where the category is gone. */
export function useCategoryName(slug: string): string {
  return useCategory(slug).data?.name ?? slug;
}

/** The names of categories as links. */
export function CategoryNames({ slugs }: { slugs: readonly string[] }) {
  return slugs.map((slug, i) => (
    <span key={slug}>
      {i === 0 ? null : ', '}
      <CategoryName slug={slug} />
    </span>
  ));
}

function CategoryName({ slug }: { slug: string }) {
  return <Anchor path={`categories/edit/${slug}`}>{useCategoryName(slug)}</Anchor>;
}
