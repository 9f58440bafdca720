-- What the elements of a JSON array are for the rule language. As functions, and not as sub-selects in the rules'
-- conditions: PostgreSQL counts contacts by parallel workers only where no sub-select refers to the row around it.

-- The numbers among them, and the texts that are read as such.
create function rule_numbers(elements jsonb) returns numeric[] language sql immutable parallel safe as $$
  select array(
    select case jsonb_typeof(element) when 'number' then element::numeric when 'string' then rule_number(element #>> '{}') end
    from jsonb_array_elements(elements) element)
$$;

-- The texts among them that are read as moments, in milliseconds since 1970.
create function rule_moments(elements jsonb) returns numeric[] language sql immutable parallel safe as $$
  select array(
    select case jsonb_typeof(element) when 'string' then rule_moment(element #>> '{}')::numeric end
    from jsonb_array_elements(elements) element)
$$;

-- Whether `part` is in one of the texts among them, at its beginning or at its end.
create function rule_any_text(elements jsonb, comparison text, part text) returns boolean
language sql immutable parallel safe as $$
  select exists (
    select from jsonb_array_elements(elements) element
    where jsonb_typeof(element) = 'string' and case comparison
      when 'contains' then position(part in element #>> '{}') > 0
      when 'starts_with' then starts_with(element #>> '{}', part)
      when 'ends_with' then right(element #>> '{}', length(part)) = part
    end)
$$;
