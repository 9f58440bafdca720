import { foldText } from '../../../db/fold.ts';
import { joinSql, rawSql, type Statement, sql } from '../../../db/sql.ts';
import { conditionsOf, type ShortSearch } from '../../search.ts';
import { flagsOf, type ProductFilters, type ProductSearch } from '../filters-queries.ts';

/** Returns the search as a condition over alias p; each of its two parts has an index. */
export function matches({ words, codes }: ProductSearch): Statement {
  const conditions = conditionsOf(rawSql('p.search'), words);
  return conditions.length === 0
    ? rawSql('true')
    : sql`(${joinSql(conditions, ' and ')} or p.sku = any(${codes}::text[]))`;
}

/** Like `matches`, for words of one or two letters. */
export function shortMatches(companyId: number, filters: ProductFilters): ShortSearch {
  return {
    table: rawSql('products'),
    alias: rawSql('p'),
    condition: flagsOf(filters),
    // Includes the company, since without it the whole index of SKUs would be read.
    also: sql`(p.company_id = ${companyId} and p.sku = any(${filters.search.codes}::text[]))`,
  };
}

/** The normalised search text begins with the name, which has at most as many letters as bytes. */
const NAME = rawSql('left(p.search, octet_length(p.name))');
/** The name with every character that may precede a word replaced by a space. */
const WORD_BY_WORD = sql`' ' || translate(${NAME}, ${'-_/(,."&+'}, ${' '.repeat(9)})`;

/**
 * Returns how well a product matches, the best with the highest number: by its SKU, its name, the beginning of its name, the beginnings of
 * words in its name, parts of its name, its description.
 */
export function relevance({ text, words, codes }: ProductSearch): Statement {
  const whole = foldText(text);
  const begun = words.map((word) => sql`strpos(${WORD_BY_WORD}, ${` ${word}`}) > 0`);
  const inside = words.map((word) => sql`strpos(${NAME}, ${word}) > 0`);
  return sql`(case when p.sku = any(${codes}::text[]) then 5
    when left(p.search, length(p.name)) = ${whole} or lower(p.name) = lower(${text}::text) then 4
    when starts_with(p.search, ${whole}) then 3
    when ${joinSql(begun, ' and ')} then 2
    when ${joinSql(inside, ' and ')} then 1
    else 0 end)`;
}
