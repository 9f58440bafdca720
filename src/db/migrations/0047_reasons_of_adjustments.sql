-- Why a person changed a stock, where they said it.
alter table stock_movements add column reason text check (length(reason) <= 500);
