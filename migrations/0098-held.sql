-- Holds a number of the sequence; changes nothing.

select 1;
