"""The actions of ``pip variants``, one module per action."""
