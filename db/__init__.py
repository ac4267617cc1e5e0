"""What is kept: tables, migrations, and one module per noun."""
