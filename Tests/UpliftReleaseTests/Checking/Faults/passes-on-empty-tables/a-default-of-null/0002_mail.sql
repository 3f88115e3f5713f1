CREATE UNIQUE INDEX one_mail ON guest (mail);
